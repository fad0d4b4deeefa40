/**
 * Control calls to coordinators and servers, with a deadline each and failures in one line.
 *
 * <p>Thread model: thread-safe, as gRPC's blocking stubs are; calls block the caller.
 */
package io.sluice.cli.control;
