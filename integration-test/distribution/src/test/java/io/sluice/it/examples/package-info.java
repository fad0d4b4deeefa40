/** Execution of the examples in pages that are marked {@code run}. */
package io.sluice.it.examples;
