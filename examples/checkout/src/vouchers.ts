export type Tier = 'basic' | 'silver' | 'gold';

export interface Voucher {
  code: string;
  percent: number;
  minimum?: number;
}

export interface Customer {
  name: string;
  tier: Tier;
}

export class VoucherError extends Error {}

const SHARES: Record<Tier, number> = { basic: 0, silver: 5, gold: 10 };

/** Returns the percentage that a customer gets without a voucher. */
export function loyaltyPercent(customer: Customer): number {
  return SHARES[customer.tier];
}

/**
 * Returns the price after a voucher and the customer's own percentage, of which the higher one counts.
 *
 * @throws VoucherError the total is below the voucher's minimum
 */
export function discounted(total: number, customer: Customer, voucher?: Voucher): number {
  if (voucher?.minimum !== undefined && total < voucher.minimum) {
    throw new VoucherError(`${voucher.code} needs a total of ${voucher.minimum}`);
  }
  const percent = Math.max(voucher?.percent ?? 0, loyaltyPercent(customer));
  return total - (total * percent) / 100;
}

/** Reads a voucher as it is printed, such as `SPRING-15` or `SPRING-15-100`; null for another text. */
export function parseVoucher(text: string): Voucher | null {
  const found = /^([A-Z]+)-(\d{1,2})(?:-(\d+))?$/.exec(text.trim());
  if (found === null) return null;
  const voucher: Voucher = { code: found[1], percent: Number(found[2]) };
  return found[3] === undefined ? voucher : { ...voucher, minimum: Number(found[3]) };
}

/** Vouchers of a customer; each code counts once. */
export class Wallet {
  private vouchers: Voucher[] = [];

  get size(): number {
    return this.vouchers.length;
  }

  /** Adds a voucher, or takes the place of the one with its code where it is worth more. */
  add(voucher: Voucher): void {
    const at = this.vouchers.findIndex((one) => one.code === voucher.code);
    if (at < 0) this.vouchers.push(voucher);
    else if (voucher.percent > this.vouchers[at].percent) this.vouchers[at] = voucher;
  }

  /** Returns the voucher that saves most for a total, or null where none may be used. */
  best(total: number): Voucher | null {
    const usable = this.vouchers.filter((one) => total >= (one.minimum ?? 0));
    return usable.reduce<Voucher | null>((best, one) => (best && best.percent >= one.percent ? best : one), null);
  }

  /** Resolves to the codes, in the order of the alphabet. */
  async codes(): Promise<string[]> {
    return this.vouchers.map((one) => one.code).sort();
  }
}
