/**
 * Limits of gRPC ports: what a call may cost, whoever makes it. Used by coordinators and servers.
 * Thread-safe.
 */
package io.sluice.common.rpc;
