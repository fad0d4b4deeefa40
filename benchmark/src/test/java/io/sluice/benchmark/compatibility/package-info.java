/** Checks that interfaces for users and programs stay compatible. */
package io.sluice.benchmark.compatibility;
