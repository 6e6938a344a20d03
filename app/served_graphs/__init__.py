"""Both graphs as a LangGraph server serves them: JSON in, JSON out, events on the custom stream.

A server runs a graph in whatever process it likes, so that these open what a run needs themselves, for the time of one
node. `langgraph.json` names them. They work on the project in the server's working folder, with its settings; a client
chooses no more than a request of one's own would say. Main module: `graphs`.
"""
