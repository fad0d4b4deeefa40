/**
 * Sockets of every port: selection of the I/O mechanism, connection limits, and descriptions of
 * peers and failed calls. Thread-safe. The only threads are the event loops that it creates for
 * callers.
 */
package io.sluice.common.net;
