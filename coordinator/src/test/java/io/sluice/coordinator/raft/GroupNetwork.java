package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Coordinators in this process, with links that a test can cut. Thread-safe. */
final class GroupNetwork {
  private static final long TIMEOUT_MS = 5_000;

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
        ReplicationReply reply = withinTimeout(node(coordinator), call);
        node(coordinator);
        return reply;
      }

      /** Like a call over the network: a node that is closed while it handles one never replies. */
      private ReplicationReply withinTimeout(CoordinatorGroup node, ReplicationCall call)
          throws IOException {
        FutureTask<ReplicationReply> reply = new FutureTask<>(() -> node.replicate(call));
        DaemonThreads.named("network").newThread(reply).start();
        try {
          return reply.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          throw new IOException(node.self() + " does not reply", e);
        } catch (ExecutionException e) {
          throw e.getCause() instanceof IOException failure
              ? failure
              : new IOException(e.getCause());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted");
        }
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
