// What is wrong with a JSON value, by a JSON Schema: the keywords that describe answers of an API.
'use strict';

const shown = (value) => JSON.stringify(value);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const KINDS = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
};
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const FORMATS = {
  date: (text) => DAY.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => DAY.test(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  uuid: (text) => /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i.test(text),
};

/** Every place where a value does not fit, with the reason; empty where it does. */
function mismatches(value, schema, place = '$', root = schema) {
  if (schema === true) return [];
  if (schema === false) return [`${place} is not allowed`];
  const found = schema.$ref === undefined ? [] : mismatches(value, target(schema.$ref, root), place, root);
  for (const part of schema.allOf ?? []) found.push(...mismatches(value, part, place, root));
  for (const options of [schema.anyOf, schema.oneOf]) {
    const each = (options ?? []).map((option) => mismatches(value, option, place, root));
    if (each.length > 0 && each.every((one) => one.length > 0)) {
      found.push(...each.reduce((least, one) => (one.length < least.length ? one : least)));
    }
  }
  return [...found, ...plain(value, schema, place, root)];
}

function plain(value, schema, place, root) {
  const allowed = [schema.type ?? []].flat();
  if (allowed.length > 0 && !allowed.some((kind) => (KINDS[kind] ?? (() => true))(value))) {
    return [`${place} is ${shown(value)}, not of type ${allowed.join(' or ')}`];
  }
  const listed = 'const' in schema ? [schema.const] : schema.enum;
  if (listed && !listed.some((one) => shown(one) === shown(value))) {
    return [`${place} is ${shown(value)}, none of ${shown(listed)}`];
  }
  if (isObject(value)) return ofObject(value, schema, place, root);
  if (Array.isArray(value)) return ofArray(value, schema, place, root);
  if (typeof value === 'string') return ofText(value, schema, place);
  return typeof value === 'number' ? ofNumber(value, schema, place) : [];
}

function target(reference, root) {
  const keys = reference.split('/').slice(1);
  return keys.reduce((found, key) => found[key.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}

function ofObject(value, schema, place, root) {
  const lacking = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const found = lacking.map((name) => `${place} lacks ${shown(name)}`);
  const known = schema.properties ?? {};
  for (const [name, one] of Object.entries(value)) {
    const wanted = Object.hasOwn(known, name) ? known[name] : (schema.additionalProperties ?? true);
    found.push(...mismatches(one, wanted, `${place}.${name}`, root));
  }
  return found;
}

function ofArray(value, schema, place, root) {
  const { minItems = 0, maxItems = Infinity, items = true } = schema;
  const found = value.length < minItems || value.length > maxItems ? [`${place} has ${value.length} items`] : [];
  return [...found, ...value.flatMap((one, number) => mismatches(one, items, `${place}[${number}]`, root))];
}

function ofText(value, schema, place) {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const found = [];
  const characters = [...value].length;
  if (characters < minLength || characters > maxLength) found.push(`${place} has ${characters} characters`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    found.push(`${place} is ${shown(value)}, outside the pattern ${shown(pattern)}`);
  }
  if (FORMATS[format] && !FORMATS[format](value)) found.push(`${place} is ${shown(value)}, no ${format}`);
  return found;
}

function ofNumber(value, schema, place) {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema;
  const outside = value < minimum || value > maximum || value <= exclusiveMinimum || value >= exclusiveMaximum;
  return outside ? [`${place} is ${shown(value)}, out of bounds`] : [];
}

module.exports = { mismatches };
