/**
 * Sockets of every port: the choice of I/O mechanism, limits of connections, and texts about peers
 * and failed calls. Thread-safe, with no threads of its own but the event loops that it makes for
 * its callers.
 */
package io.sluice.common.net;
