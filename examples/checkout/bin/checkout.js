#!/usr/bin/env node
import { OrderBook } from '../src/order-book.js';
import { shippingCost, trackingNumber } from '../src/shipping.js';

const USAGE = `usage: checkout shipping WEIGHT COUNTRY [--express]
       checkout track COUNTRY NUMBER
       checkout order COUNTRY TOTAL
       checkout turnover`;
const FILE = 'orders.json';

function main([command, ...words]) {
  const [first, second] = words.filter((word) => !word.startsWith('--'));
  if (command === 'shipping') {
    return shippingCost(Number(first), second, { express: words.includes('--express') }).toFixed(2);
  }
  if (command === 'track') return trackingNumber(first, Number(second));
  if (command === 'order') return new OrderBook(FILE).add({ country: first, total: Number(second) });
  if (command === 'turnover') return new OrderBook(FILE).turnover().toFixed(2);
  process.exitCode = 2;
  return USAGE;
}

try {
  const said = main(process.argv.slice(2));
  (process.exitCode === 2 ? console.error : console.log)(said);
} catch (fault) {
  console.error(`checkout: ${fault.message}`);
  process.exitCode = 1;
}
