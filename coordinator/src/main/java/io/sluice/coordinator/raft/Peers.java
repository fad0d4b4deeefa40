package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** The network between coordinators. Thread-safe; a coordinator is named by its address. */
public interface Peers {
  /**
   * Sends a message of the replication protocol, and waits for the reply.
   *
   * @throws IOException if the coordinator does not reply within a second
   */
  ReplicationReply replicate(String coordinator, ReplicationCall call) throws IOException;

  /**
   * Asks whether a coordinator has a part of the shared log.
   *
   * @throws IOException if the coordinator does not reply within a second
   */
  MembershipReply membership(String coordinator) throws IOException;

  /**
   * Executes a call on another coordinator.
   *
   * @param method name of the method
   * @return its reply; completes exceptionally without a reply
   */
  CompletableFuture<ByteString> forward(String coordinator, String method, ByteString request);
}
