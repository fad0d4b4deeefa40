/**
 * How a server takes part in the cluster: heartbeats to every coordinator of its quorum, and the
 * expiry of applications that follows from their answers. One thread runs it all; nothing on it
 * blocks.
 */
package io.sluice.server.cluster;
