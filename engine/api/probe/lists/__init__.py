"""What lists show: filled ones, by filters, sorted, in pages, of those whom somebody follows, and with some columns."""
