package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Coordinators in this process, with links that a test can cut. Thread-safe. */
final class GroupNetwork {
  private final Map<String, CoordinatorGroup> nodes = new ConcurrentHashMap<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();

  void add(CoordinatorGroup node) {
    nodes.put(node.self(), node);
  }

  void remove(String name) {
    nodes.remove(name);
  }

  /** Cuts a coordinator off from all others; calls to a leader get no reply. */
  void cutOff(String name) {
    cut.add(name);
  }

  void heal() {
    cut.clear();
  }

  Peers from(String self) {
    return new Peers() {
      @Override
      public ReplicationReply replicate(String coordinator, ReplicationCall call)
          throws IOException {
        ReplicationReply reply = node(coordinator).replicate(call);
        node(coordinator);
        return reply;
      }

      @Override
      public MembershipReply membership(String coordinator) throws IOException {
        return node(coordinator).membership();
      }

      @Override
      public CompletableFuture<ByteString> forward(
          String coordinator, String method, ByteString request) {
        CompletableFuture<ByteString> reply = new CompletableFuture<>();
        if (!cut.contains(self) && !cut.contains(coordinator)) {
          reply.complete(ByteString.copyFromUtf8(coordinator + " " + method));
        }
        return reply;
      }

      private CoordinatorGroup node(String coordinator) throws IOException {
        CoordinatorGroup node = nodes.get(coordinator);
        if (node == null || cut.contains(self) || cut.contains(coordinator)) {
          throw new IOException(coordinator + " is unreachable");
        }
        return node;
      }
    };
  }
}
