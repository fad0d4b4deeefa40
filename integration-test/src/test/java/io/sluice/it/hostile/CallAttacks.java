package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.it.hostile.RawCalls.Answer;
import io.sluice.it.hostile.RawCalls.Compression;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.UnregisterShufflesRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** gRPC calls with large, deeply nested or unauthorized requests. */
final class CallAttacks {
  static final String UNREGISTER_SHUFFLES = "sluice.v1.ShuffleServerControl/UnregisterShuffles";
  static final String REGISTER_APPLICATION = "sluice.v1.Coordinator/RegisterApplication";

  private static final String CHALLENGE = "sluice.v1.Authentication/Challenge";
  private static final String HEARTBEAT = "sluice.v1.Coordinator/Heartbeat";
  private static final String RENEW_LEASE = "sluice.v1.Coordinator/RenewLease";
  private static final String ADMIN = "sluice.v1.Admin/Call";
  private static final String EXCHANGE = "/sluice.v1.Data/Exchange";

  private static final int SERVER_MESSAGE = (16 << 20) - 64;
  private static final int COORDINATOR_MESSAGE = (8 << 20) - 64;

  /** Number of concurrent calls; each could fill most of the heap of a server of 1 GiB. */
  private static final int LARGE_CALLS = 4;

  private static final int HALF_CALLS = 56;
  private static final int HALF_BYTES = 7 << 20;

  /** Number of calls that together exceed the limit of a coordinator. */
  private static final int HALF_COORDINATOR_CALLS = 40;

  private static final int OPEN_CALLS = 64;
  private static final int HEADER_LENGTH = 7 << 10;

  /** Whether a call was refused, for any reason except its deadline. */
  private static final Set<Status.Code> REFUSED =
      EnumSet.of(
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.RESOURCE_EXHAUSTED,
          Status.Code.UNIMPLEMENTED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.CANCELLED,
          Status.Code.INTERNAL,
          Status.Code.UNAVAILABLE);

  private CallAttacks() {}

  /** Lists of millions of shuffles, each 16 KB if compressed. */
  static Attack deletions(Compression compression) {
    return target -> {
      refused(target, Port.SERVER_RPC, UNREGISTER_SHUFFLES, shuffles("x"), compression);
      return Attack.NOTHING_OPEN;
    };
  }

  /** Lists of millions of shuffles of an application of the caller. */
  static AutoCloseable deletionsOfAUser(Target target) throws Exception {
    refused(
        target,
        Port.SERVER_RPC,
        UNREGISTER_SHUFFLES,
        shuffles(Identity.MALLORY.application("attack")),
        Compression.GZIP,
        Target.proofs(Identity.MALLORY));
    return Attack.NOTHING_OPEN;
  }

  private static byte[] shuffles(String application) {
    byte[] zeros = new byte[SERVER_MESSAGE];
    return field(
        UnregisterShufflesRequest.newBuilder().setApplication(application).build().toByteArray(),
        UnregisterShufflesRequest.SHUFFLES_FIELD_NUMBER,
        zeros);
  }

  /** A lease renewal with millions of empty messages. */
  static Attack renewals(Compression compression, ClientInterceptor... proofs) {
    return target -> {
      refused(
          target,
          Port.COORDINATOR_RPC,
          RENEW_LEASE,
          repeated(new byte[] {0x22, 0}, COORDINATOR_MESSAGE),
          compression,
          proofs);
      return Attack.NOTHING_OPEN;
    };
  }

  /** A server's heartbeat with millions of disks. */
  static Attack heartbeats(Compression compression, ClientInterceptor... proofs) {
    return target -> {
      byte[] disks =
          repeated(new byte[] {ServerLoad.DISKS_FIELD_NUMBER << 3 | 2, 0}, COORDINATOR_MESSAGE);
      refused(
          target,
          Port.COORDINATOR_RPC,
          HEARTBEAT,
          field(new byte[0], HeartbeatRequest.LOAD_FIELD_NUMBER, disks),
          compression,
          proofs);
      return Attack.NOTHING_OPEN;
    };
  }

  /** Requests with extreme nesting, repetition or names. */
  static AutoCloseable strangeMessages(Target target) throws Exception {
    byte[] name = new byte[1 << 20];
    Arrays.fill(name, (byte) 'a');
    List<byte[]> messages =
        List.of(
            // Deeply nested groups of an unknown field.
            repeated(new byte[] {(byte) 0xfb, 0x01}, 1 << 20),
            repeated(new byte[] {0x1a, 0}, 4 << 20),
            field(new byte[0], RegisterApplicationRequest.APPLICATION_FIELD_NUMBER, name),
            field(new byte[0], RegisterApplicationRequest.USER_FIELD_NUMBER, name),
            // A length beyond the end, an invalid tag, and varints without an end.
            new byte[] {0x0a, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f},
            new byte[] {0, 0, 0, 0},
            repeated(new byte[] {(byte) 0xff}, 4096));
    for (byte[] message : messages) {
      for (String method : List.of(HEARTBEAT, RENEW_LEASE, REGISTER_APPLICATION, ADMIN)) {
        answered(target, Port.COORDINATOR_RPC, method, message);
        answered(target, Port.COORDINATOR_RPC, method, message, Target.proofs(Identity.MALLORY));
      }
      answered(target, Port.SERVER_RPC, UNREGISTER_SHUFFLES, message);
    }
    return Attack.NOTHING_OPEN;
  }

  private static void refused(
      Target target,
      Port port,
      String method,
      byte[] message,
      Compression compression,
      ClientInterceptor... proofs)
      throws Exception {
    try (OpenResources channels = new OpenResources()) {
      List<CompletableFuture<Answer>> calls = new ArrayList<>();
      for (int i = 0; i < LARGE_CALLS; i++) {
        // One connection per call, because calls of one connection wait for each other.
        ManagedChannel channel = target.channel(port, proofs);
        channels.add(channel::shutdownNow);
        calls.add(RawCalls.begin(channel, method, message, compression, new Metadata()));
      }
      for (CompletableFuture<Answer> call : calls) {
        Status status = call.get(Bounds.WAIT_SECONDS, TimeUnit.SECONDS).status();
        assertThat(REFUSED)
            .as("end of a call of %s: %s", method, status)
            .contains(status.getCode());
      }
    }
  }

  /** Checks that a call ends in time, with any status. */
  private static void answered(
      Target target, Port port, String method, byte[] message, ClientInterceptor... proofs)
      throws Exception {
    ManagedChannel channel = target.channel(port, proofs);
    try {
      Status status = RawCalls.call(channel, method, message).status();
      assertThat(status.getCode())
          .as("end of a call of %s: %s", method, status)
          .isNotEqualTo(Status.Code.DEADLINE_EXCEEDED);
    } finally {
      channel.shutdownNow();
    }
  }

  /** Many calls on one connection, each of which sends half of a message. */
  static AutoCloseable halfMessagesToServer(Target target) throws Exception {
    return halfMessages(
        target, Port.SERVER_RPC, "/" + UNREGISTER_SHUFFLES, HALF_CALLS, 2 * HALF_BYTES, HALF_BYTES);
  }

  /** Half messages on streams of the data protocol, before HELLO. */
  static AutoCloseable halfMessagesToDataStreams(Target target) throws Exception {
    return halfMessages(target, Port.SERVER_RPC, EXCHANGE, HALF_CALLS, 2 * HALF_BYTES, HALF_BYTES);
  }

  /** Complete messages of calls that are never half-closed, so that the coordinator keeps them. */
  static AutoCloseable halfMessagesToCoordinator(Target target) throws Exception {
    return halfMessages(
        target,
        Port.COORDINATOR_RPC,
        "/" + ADMIN,
        HALF_COORDINATOR_CALLS,
        COORDINATOR_MESSAGE,
        COORDINATOR_MESSAGE);
  }

  private static AutoCloseable halfMessages(
      Target target, Port port, String path, int calls, int declaredLength, int sent)
      throws Exception {
    Http2Peer peer = new Http2Peer(target.connect(port));
    try {
      byte[] bytes = new byte[sent];
      boolean taken = true;
      for (int i = 0; i < calls && taken; i++) {
        int stream = peer.call(path);
        peer.data(stream, Http2Peer.messagePrefix(declaredLength));
        // A closed stream accepts nothing, but the next one may.
        int ended = peer.endedStreams();
        taken = peer.data(stream, bytes) == sent || peer.endedStreams() > ended;
      }
    } catch (IOException ended) {
      // The server has closed the connection, which is a valid defence.
    }
    return peer;
  }

  /** Messages of authenticated calls, each without its last byte. */
  static Attack halfMessagesOfAUser(Port port, String method) {
    return target -> {
      OpenResources open = new OpenResources();
      try {
        ManagedChannel process = target.channel(port);
        open.add(process::shutdownNow);
        RecordingRelay relay = open.add(new RecordingRelay(process));
        Http2Peer peer = open.add(new Http2Peer(target.connect(port)));
        for (int i = 0; i < HALF_CALLS && !peer.isClosed(); i++) {
          int stream = peer.call("/" + method, relay.proofOf(Identity.MALLORY, method));
          peer.data(stream, Http2Peer.messagePrefix(HALF_BYTES));
          peer.data(stream, new byte[HALF_BYTES - 1]);
        }
      } catch (IOException ended) {
        // The process has closed the connection, which is a valid defence.
      } catch (Exception | AssertionError e) {
        open.close();
        throw e;
      }
      return open;
    };
  }

  /**
   * The maximum number of connections of one address, each with many calls of the only method
   * without authentication. Headers are large, and the requests are never sent.
   */
  static AutoCloseable openCalls(Target target) throws Exception {
    OpenResources open = new OpenResources();
    ByteArrayOutputStream more = new ByteArrayOutputStream();
    Http2Peer.header(more, "x", "a".repeat(HEADER_LENGTH));
    byte[] headers = more.toByteArray();
    for (int i = 0; i < HostileCluster.MAX_CONNECTIONS_PER_ADDRESS; i++) {
      try {
        Http2Peer peer = open.add(new Http2Peer(target.connect(Port.COORDINATOR_RPC, 2)));
        for (int call = 0; call < OPEN_CALLS; call++) {
          peer.call("/" + CHALLENGE, headers);
        }
        peer.flush();
      } catch (IOException ended) {
        // The coordinator has closed the connection, which is a valid defence.
      }
    }
    return open;
  }

  /** Compressed messages of the data protocol, before HELLO. */
  static AutoCloseable compressedFrames(Target target) throws Exception {
    OpenResources open = new OpenResources();
    for (int i = 0; i < LARGE_CALLS; i++) {
      GrpcPeer peer = open.add(GrpcPeer.compressing(target));
      peer.send(new byte[SERVER_MESSAGE]);
      peer.send(new byte[SERVER_MESSAGE]);
    }
    return open;
  }

  /** {@code message} with an additional bytes field. */
  static byte[] field(byte[] message, int number, byte[] value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(message.length + value.length + 16);
    bytes.writeBytes(message);
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 64);
    try {
      out.writeBytes(number, ByteString.copyFrom(value));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("internal error: in-memory stream failed", e);
    }
    return bytes.toByteArray();
  }

  static byte[] repeated(byte[] part, int length) {
    byte[] all = new byte[length / part.length * part.length];
    for (int at = 0; at < all.length; at += part.length) {
      System.arraycopy(part, 0, all, at, part.length);
    }
    return all;
  }
}
