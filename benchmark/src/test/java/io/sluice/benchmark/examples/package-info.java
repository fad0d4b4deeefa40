/** Checks of the examples in pages: whether the names in them exist. */
package io.sluice.benchmark.examples;
