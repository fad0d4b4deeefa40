package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.it.hostile.RawCalls.Answer;
import io.sluice.it.hostile.RawCalls.Compression;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Refused requests that try to fill or forge the log. */
final class LogAttacks {
  private static final int DENIED_CALLS = 4_000;
  private static final int AT_ONCE = 100;

  /** Text with all kinds of line ends and terminal control sequences, longer than a screen. */
  private static final String FORGERY =
      "x\"\n"
          + ProcessHealth.FORGED
          + "\r"
          + ProcessHealth.FORGED
          + "\u001b[2J\u2028\u0085"
          + "y".repeat(5_000);

  private LogAttacks() {}

  /** Thousands of unauthorized calls. */
  static Attack deniedCalls(Port port, String method) {
    return target -> {
      ManagedChannel channel = target.channel(port);
      try {
        for (int done = 0; done < DENIED_CALLS; done += AT_ONCE) {
          List<CompletableFuture<Answer>> calls = new ArrayList<>();
          for (int i = 0; i < AT_ONCE; i++) {
            calls.add(
                RawCalls.begin(channel, method, new byte[0], Compression.IDENTITY, new Metadata()));
          }
          for (CompletableFuture<Answer> call : calls) {
            Status ended = call.get(Bounds.WAIT_SECONDS, TimeUnit.SECONDS).status();
            assertThat(ended.isOk()).as("end of a denied call: %s", ended).isFalse();
          }
        }
      } finally {
        channel.shutdownNow();
        channel.awaitTermination(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
      }
      return Attack.NOTHING_OPEN;
    };
  }

  /** Names that imitate log lines, with and without authentication. */
  static AutoCloseable forgedLines(Target target) throws Exception {
    Mallory mallory = Mallory.join(target);
    byte[] unregister =
        UnregisterShuffleApplicationRequest.newBuilder()
            .setApplication(FORGERY)
            .build()
            .toByteArray();
    byte[] register =
        RegisterApplicationRequest.newBuilder()
            .setApplication(FORGERY)
            .setUser(FORGERY)
            .setClientVersion(FORGERY)
            .build()
            .toByteArray();
    byte[] own =
        RegisterApplicationRequest.newBuilder()
            .setApplication(Identity.MALLORY.application(FORGERY))
            .setUser(FORGERY)
            .setClientVersion(FORGERY)
            .build()
            .toByteArray();
    byte[] renew =
        RenewLeaseRequest.newBuilder()
            .setApplication(mallory.application())
            .setReport(
                ApplicationReport.newBuilder()
                    .setFallbackShuffles(1)
                    .setLastFallbackReason(FORGERY))
            .build()
            .toByteArray();
    byte[] shuffle =
        RegisterShuffleRequest.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication(mallory.application()))
            .setPartitionCount(1)
            .addRequiredTags(FORGERY)
            .addExcludedServers(FORGERY)
            .build()
            .toByteArray();
    try {
      for (boolean proved : new boolean[] {false, true}) {
        call(
            target,
            Port.SERVER_RPC,
            "ShuffleServerControl/UnregisterShuffleApplication",
            proved,
            unregister);
        call(target, Port.COORDINATOR_RPC, "Coordinator/RegisterApplication", proved, register);
        call(target, Port.COORDINATOR_RPC, "Coordinator/RegisterApplication", proved, own);
        call(target, Port.COORDINATOR_RPC, "Coordinator/RenewLease", proved, renew);
        call(target, Port.COORDINATOR_RPC, "Coordinator/RegisterShuffle", proved, shuffle);
      }
      try (FramePeer peer = FramePeer.connect(target)) {
        peer.send(Frames.of(Frames.HELLO, 1, FramePeer.hello(FORGERY).setClient(FORGERY).build()));
        peer.receive();
      }
    } catch (Exception | AssertionError e) {
      mallory.close();
      throw e;
    }
    return mallory;
  }

  private static void call(Target target, Port port, String method, boolean proved, byte[] request)
      throws Exception {
    ManagedChannel channel =
        proved ? target.channel(port, Target.proofs(Identity.MALLORY)) : target.channel(port);
    try {
      RawCalls.call(channel, "sluice.v1." + method, request);
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
