/**
 * Status codes of failures, and the exception with a status code. Stateless; every package may
 * depend on it.
 */
package io.sluice.common.error;
