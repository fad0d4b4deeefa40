/**
 * The {@code sluice} command: parses options, starts processes, prints results. It contains no
 * logic of the service.
 *
 * <p>Thread model: a command runs on the main thread. Only the distribution and tests depend on
 * this package.
 */
package io.sluice.cli;
