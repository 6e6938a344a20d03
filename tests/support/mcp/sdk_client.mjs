// Calls tools through one of the TypeScript SDKs, and prints what its user gets: one line of JSON for each call.
// Arguments: sdk version (1 or 2), the client's request limit in ms, the calls as JSON, the server's command line.
const [version, limit, calls, command, ...args] = process.argv.slice(1);
const name = version === '1' ? '@modelcontextprotocol/sdk/client' : '@modelcontextprotocol/client';
const { Client } = await import(version === '1' ? `${name}/index.js` : name);
const { StdioClientTransport } = await import(version === '1' ? `${name}/stdio.js` : `${name}/stdio`);
const client = new Client({ name: 'tests', version: '1' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
// From here on answers are checked by the schemas that the tools declare.
await client.listTools();
const options = { timeout: Number(limit) };
const call = (tool, given) =>
  version === '1'
    ? client.callTool({ name: tool, arguments: given }, undefined, options)
    : client.callTool({ name: tool, arguments: given }, options);
let runId = null;
for (const [tool, given, untilEnded] of JSON.parse(calls)) {
  for (;;) {
    const filled = given.run_id === 'LAST' ? { ...given, run_id: runId } : given;
    let answer;
    try {
      answer = await call(tool, filled);
    } catch (error) {
      answer = { thrown: String(error) };
    }
    runId = answer.structuredContent?.run_id ?? runId;
    console.log(JSON.stringify(answer));
    if (!untilEnded || answer.structuredContent?.status !== 'running') break;
  }
}
await client.close();
