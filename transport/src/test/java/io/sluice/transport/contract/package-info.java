/**
 * Both data transports, client and server end together, over loopback sockets: one contract that
 * each of them fulfils.
 */
package io.sluice.transport.contract;
