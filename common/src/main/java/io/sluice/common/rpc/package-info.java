/**
 * Limits of gRPC ports: memory and time of a call, for every caller. Used by coordinators and
 * servers. Thread-safe.
 */
package io.sluice.common.rpc;
