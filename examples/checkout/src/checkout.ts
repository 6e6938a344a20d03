import { packParcels, shippingCost } from './shipping.js';
import { discounted, parseVoucher, type Customer } from './vouchers';
import type { OrderBook } from './order-book.js';
import type { RateService } from './rates.js';

export interface Item {
  name: string;
  price: number;
  weight: number;
}

export class CheckoutError extends Error {}

export interface Quote {
  goods: number;
  shipping: number;
  parcels: number;
  total: number;
}

/**
 * Works out what items cost when they are sent to a country.
 *
 * Shipping is free for goods of a hundred euros and more, after the voucher.
 *
 * @throws CheckoutError there are no items, or the voucher is none
 */
export function quote(items: Item[], country: 'DE' | 'FR' | 'US', customer: Customer, voucherText = ''): Quote {
  if (items.length === 0) throw new CheckoutError('there is nothing to pay for');
  const voucher = voucherText === '' ? undefined : parseVoucher(voucherText);
  if (voucher === null) throw new CheckoutError(`${voucherText} is no voucher`);
  const sum = items.reduce((total, item) => total + item.price, 0);
  const goods = discounted(sum, customer, voucher);
  const weight = items.reduce((total, item) => total + item.weight, 0);
  const shipping = goods >= 100 ? 0 : shippingCost(weight, country);
  return { goods, shipping, parcels: packParcels(items).length, total: goods + shipping };
}

/** Places an order in a book, and returns its tracking number. */
export function placeOrder(book: OrderBook, items: Item[], country: 'DE' | 'FR' | 'US', customer: Customer): string {
  return book.add({ country, total: quote(items, country, customer).total });
}

/**
 * Resolves to a total in another currency, to two decimals.
 *
 * @throws CheckoutError the currency has no rate
 */
export async function convert(total: number, currency: string, rates: RateService): Promise<number> {
  const rate = await rates.rate(currency);
  if (rate === null) throw new CheckoutError(`${currency} has no rate`);
  return Math.round(total * rate * 100) / 100;
}
