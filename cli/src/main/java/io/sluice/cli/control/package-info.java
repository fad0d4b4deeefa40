/**
 * Control calls to coordinators and servers. Each call has a timeout; error messages are one line.
 *
 * <p>Thread model: thread-safe; calls block the caller.
 */
package io.sluice.cli.control;
