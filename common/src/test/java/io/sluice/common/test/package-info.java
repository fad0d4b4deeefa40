/** Helpers that the tests of all modules share. */
package io.sluice.common.test;
