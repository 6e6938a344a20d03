/** Exchange rates of a service. */
export class RateService {
  /** @param {string} baseUrl of the service, without a slash at the end */
  constructor(baseUrl) {
    this.baseUrl = baseUrl;
  }

  /**
   * Resolves to how much of a currency one euro is; null for a currency that the service does not know.
   *
   * @param {string} currency three letters
   * @returns {Promise<number | null>}
   * @throws {Error} the service does not work
   */
  async rate(currency) {
    const response = await fetch(`${this.baseUrl}/rates/${currency}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the service answers ${response.status}`);
    const { rate } = await response.json();
    return rate;
  }
}
