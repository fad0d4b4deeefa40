/**
 * What can go wrong, as a small closed set of codes, and the exception that carries one. Stateless;
 * anybody may depend on it.
 */
package io.sluice.common.error;
