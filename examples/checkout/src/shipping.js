/** The heaviest parcel that is carried, in kilograms. */
export const HEAVIEST = 30;

const RATES = { DE: 4.9, FR: 9.9, US: 24.5 };

/**
 * Returns what sending a parcel costs, in euros.
 *
 * Parcels above five kilograms cost twice as much. An express parcel costs six euros more.
 *
 * @param {number} weight in kilograms, above zero
 * @param {string} country two letters: DE, FR or US
 * @param {{ express?: boolean }} [options]
 * @returns {number}
 * @throws {RangeError} the parcel has no weight, or is too heavy
 */
export function shippingCost(weight, country, { express = false } = {}) {
  if (weight <= 0 || weight > HEAVIEST) {
    throw new RangeError(`no parcel weighs ${weight} kg`);
  }
  const rate = RATES[country];
  if (rate === undefined) throw new Error(`nothing is sent to ${country}`);
  const cost = weight > 5 ? rate * 2 : rate;
  return express ? cost + 6 : cost;
}

/**
 * Splits items into parcels that are not heavier than a limit, in the order of the items.
 *
 * @param {{ name: string, weight: number }[]} items
 * @param {number} [limit=10]
 * @returns {string[][]} the names in each parcel
 */
export function packParcels(items, limit = 10) {
  const parcels = [];
  let load = 0;
  for (const { name, weight } of items) {
    if (parcels.length === 0 || load + weight > limit) {
      parcels.push([]);
      load = 0;
    }
    parcels[parcels.length - 1].push(name);
    load += weight;
  }
  return parcels;
}

/**
 * Makes a tracking number: the country in capitals, and the number with six digits.
 *
 * @example
 * trackingNumber('fr', 42) // => 'FR-000042'
 *
 * @param {string} country
 * @param {number} number
 */
export const trackingNumber = (country, number) => `${country.toUpperCase()}-${String(number).padStart(6, '0')}`;
