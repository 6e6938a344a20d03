import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { trackingNumber } from './shipping.js';

/** Orders that are kept in a file of JSON. */
export class OrderBook {
  /** @param {string} path of the file; it is made with the first order */
  constructor(path) {
    this.path = path;
  }

  /**
   * Adds an order and returns its tracking number.
   *
   * @param {{ country: string, total: number }} order
   * @returns {string}
   * @throws {RangeError} the order has no total
   */
  add(order) {
    if (order.total <= 0) throw new RangeError('an order has a total above zero');
    const orders = this.list();
    const tracking = trackingNumber(order.country, orders.length + 1);
    writeFileSync(this.path, JSON.stringify([...orders, { ...order, tracking }], null, 2));
    return tracking;
  }

  /** Returns the orders, the oldest first. */
  list() {
    return existsSync(this.path) ? JSON.parse(readFileSync(this.path, 'utf8')) : [];
  }

  /** Returns the sum of all totals. */
  turnover() {
    return this.list().reduce((sum, order) => sum + order.total, 0);
  }
}
