/** Clusters on networks with proxies, with IPv6, and with both versions of IP. */
package io.sluice.it.network;
