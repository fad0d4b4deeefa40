/** Contract tests of both data transports, with client and server over loopback sockets. */
package io.sluice.transport.contract;
