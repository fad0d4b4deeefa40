package io.sluice.client.file;

import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;

/**
 * Who named a run file, and in which of its lives.
 *
 * @param localSocket where the server hands out descriptors; empty: nowhere
 */
public record RunFileSource(ServerId server, String localSocket, ShuffleId shuffle, long epoch) {}
