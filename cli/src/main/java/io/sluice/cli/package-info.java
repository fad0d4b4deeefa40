/**
 * The {@code sluice} command: parses options, starts processes, prints results. No rule of the
 * service lives here.
 *
 * <p>Thread model: a command runs on the main thread. Nobody depends on this package but the
 * distribution and the tests.
 */
package io.sluice.cli;
