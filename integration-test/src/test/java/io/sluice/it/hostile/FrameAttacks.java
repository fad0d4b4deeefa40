package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnsafeByteOperations;
import io.sluice.it.hostile.FramePeer.Frame;
import io.sluice.proto.Fetch;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Too large, too many or invalid frames of the data protocol. */
final class FrameAttacks {
  private static final int HEAD = (16 << 20) - 1024;

  /** Maximum length of the head of OPEN. */
  private static final int LONGEST_OPEN_HEAD = 1 << 20;

  private static final int HALF_HEADS = 48;
  private static final int HALF_HEAD_BYTES = 15 << 20;
  private static final int LARGE_HEADS = 6;

  /** An empty Roaring bitmap, after its high half. */
  private static final int EMPTY_BITMAP_LENGTH = 12;

  private static final int NO_RUN_COOKIE = 12_346;
  private static final int RUN_COOKIE = 12_347;

  private static final int BODIES = 12;
  private static final int BODY = 16 << 20;

  private static final int MOST_PARTITIONS = 4096;
  private static final int MOST_RANGES = 16_384;
  private static final int REQUESTING_PEERS = 20;
  private static final int REQUESTS = 20;

  /** Deeply nested groups of an unknown field. */
  private static final byte[] GROUPS = CallAttacks.repeated(new byte[] {(byte) 0xfb, 0x01}, 4000);

  private FrameAttacks() {}

  /** Heads that are small on the wire but become millions of objects when parsed. */
  static AutoCloseable largeHeads(Target target) throws Exception {
    OpenResources resources = new OpenResources();
    try {
      Mallory mallory = resources.add(Mallory.join(target));
      mallory.store(1000);
      byte[] open =
          Frames.of(
              Frames.OPEN, 3, openOf(mallory, emptyBitmaps(HEAD / EMPTY_BITMAP_LENGTH - 100)), 0);
      byte[] fetch =
          Frames.of(
              Frames.FETCH,
              3,
              Frames.headOf(
                  mallory.shuffle(),
                  CallAttacks.repeated(new byte[] {Fetch.RANGES_FIELD_NUMBER << 3 | 2, 0}, HEAD)),
              0);
      List<Thread> senders = new ArrayList<>();
      for (byte[] head : List.of(open, fetch)) {
        for (int i = 0; i < LARGE_HEADS; i++) {
          FramePeer peer = resources.add(FramePeer.greeted(target, mallory.credential()));
          senders.add(sender(() -> peer.sendWhileTaken(head)));
        }
      }
      joinAll(senders);
      return resources;
    } catch (Exception | AssertionError e) {
      resources.close();
      throw e;
    }
  }

  static Thread sender(Runnable sending) {
    Thread thread = new Thread(sending, "attacker");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static void joinAll(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(Target.TIMEOUT_MS);
    }
  }

  private static byte[] openOf(Mallory mallory, byte[] wanted) {
    return Open.newBuilder()
        .setShuffle(mallory.shuffle())
        .addPartitions(0)
        .setAssignedEpoch(mallory.epoch())
        .setMaxWaitMs(Target.TIMEOUT_MS)
        .setWantedAttempts(UnsafeByteOperations.unsafeWrap(wanted))
        .setWantedPermille(1000)
        .build()
        .toByteArray();
  }

  /** An empty set with one part per high half. One attempt keeps the read open. */
  private static byte[] emptyBitmaps(int count) {
    ByteBuffer set =
        ByteBuffer.allocate(8 + count * EMPTY_BITMAP_LENGTH + 22).order(ByteOrder.LITTLE_ENDIAN);
    set.putLong(count + 1L);
    for (int high = 0; high < count; high++) {
      set.putInt(high).putInt(NO_RUN_COOKIE).putInt(0);
    }
    // Attempt 7 of the last half: key 0, one value, at offset 16, the value.
    set.putInt(count).putInt(NO_RUN_COOKIE).putInt(1).putShort((short) 0).putShort((short) 0);
    return set.putInt(16).putShort((short) 7).array();
  }

  /** Heads without their end, both above and at the maximum length. */
  static AutoCloseable halfHeads(Target target) throws Exception {
    OpenResources resources = new OpenResources();
    try {
      Mallory mallory = resources.add(Mallory.join(target));
      byte[] half = new byte[HALF_HEAD_BYTES];
      byte[] permitted = new byte[LONGEST_OPEN_HEAD - 1];
      for (int i = 0; i < HALF_HEADS; i++) {
        FramePeer large = resources.add(FramePeer.greeted(target, mallory.credential()));
        large.sendWhileTaken(Frames.header(Frames.OPEN, 3, HEAD, 0), half);
        FramePeer longest = resources.add(FramePeer.greeted(target, mallory.credential()));
        longest.sendWhileTaken(Frames.header(Frames.OPEN, 3, LONGEST_OPEN_HEAD, 0), permitted);
      }
      return resources;
    } catch (Exception | AssertionError e) {
      resources.close();
      throw e;
    }
  }

  /** Announced bodies for which the server reserves memory and which are never sent. */
  static AutoCloseable bodiesNeverSent(Target target) throws Exception {
    OpenResources resources = new OpenResources();
    try {
      Mallory mallory = resources.add(Mallory.join(target));
      for (int i = 0; i < BODIES; i++) {
        FramePeer peer = resources.add(FramePeer.greeted(target, mallory.credential()));
        peer.send(Frames.of(Frames.PUSH, 3, mallory.push(), BODY), new byte[1]);
      }
      return resources;
    } catch (Exception | AssertionError e) {
      resources.close();
      throw e;
    }
  }

  /** The maximum number of requests with the maximum number of parts. */
  static AutoCloseable maximalRequests(Target target) throws Exception {
    OpenResources resources = new OpenResources();
    try {
      Mallory mallory = resources.add(Mallory.join(target, MOST_PARTITIONS, Map.of()));
      mallory.store(64);
      Open.Builder open =
          Open.newBuilder()
              .setShuffle(mallory.shuffle())
              .setAssignedEpoch(mallory.epoch())
              .setWantSliceMarks(true)
              .setWantExtents(true);
      Fetch.Builder fetch =
          Fetch.newBuilder().setShuffle(mallory.shuffle()).setEpoch(mallory.epoch());
      for (int i = 0; i < MOST_PARTITIONS; i++) {
        open.addPartitions(i);
      }
      for (int i = 0; i < MOST_RANGES; i++) {
        fetch.addRanges(Range.newBuilder().setPartition(i % MOST_PARTITIONS).setLength(1));
      }
      byte[] both =
          concatenated(
              Frames.of(Frames.OPEN, 3, open.build()), Frames.of(Frames.FETCH, 4, fetch.build()));
      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < REQUESTING_PEERS; i++) {
        FramePeer peer = resources.add(FramePeer.greeted(target, mallory.credential()));
        senders.add(
            sender(
                () -> {
                  for (int sent = 0; sent < REQUESTS && peer.sendWhileTaken(both); sent++) {}
                }));
      }
      // Replies are not read, so some senders continue until their sockets are closed.
      return () -> {
        resources.close();
        joinAll(senders);
      };
    } catch (Exception | AssertionError e) {
      resources.close();
      throw e;
    }
  }

  private static byte[] concatenated(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  /** Valid frames in the wrong state, and frames with false fields. */
  static AutoCloseable wrongFrames(Target target) throws Exception {
    try (Mallory mallory = Mallory.join(target)) {
      byte[] right = Frames.of(Frames.FETCH, 3, mallory.fetch(0, 0, 1));
      byte[] hello = Frames.of(Frames.HELLO, 1, FramePeer.hello(mallory.application()).build());
      // Before HELLO: other frames, and invalid HELLOs.
      for (byte[] first :
          List.of(
              right,
              Frames.of(Frames.PROOF, 1, HelloProof.getDefaultInstance()),
              Frames.of(Frames.HELLO_REPLY, 1, HelloReply.getDefaultInstance()),
              Frames.of(Frames.PUSH, 1, mallory.push(), 512),
              hello,
              Frames.of(Frames.HELLO, 1, new byte[4000], 0),
              Frames.of(Frames.HELLO, 1, GROUPS, 0),
              Frames.header(Frames.HELLO, 1, 5000, 0),
              Frames.header(Frames.HELLO, 1, Integer.MAX_VALUE, Integer.MAX_VALUE),
              Frames.header(Frames.HELLO, 1, -1, -1),
              Frames.of(99, 1, new byte[0], 0),
              new byte[Frames.HEADER_LENGTH])) {
        try (FramePeer peer = FramePeer.connect(target)) {
          refusesAndEnds(peer, first);
        }
      }
      // After HELLO: frames that only servers send, a second HELLO, invalid frames.
      byte[] damaged = right.clone();
      damaged[damaged.length - 1] ^= 1;
      for (byte[] next :
          List.of(
              hello,
              Frames.of(Frames.PUSH_ACK, 3, PushAck.getDefaultInstance()),
              Frames.of(Frames.FETCH_REPLY, 3, new byte[0], 1 << 20),
              Frames.of(Frames.OPEN, 3, new byte[0], 1),
              Frames.header(Frames.PUSH, 3, 10, Integer.MAX_VALUE),
              Frames.header(Frames.FETCH, 3, Integer.MIN_VALUE, 0),
              Frames.of(Frames.FETCH, 3, new byte[] {0x0a, (byte) 0xff, 0x7f}, 0),
              Frames.of(Frames.FETCH, 3, GROUPS, 0),
              Frames.of(Frames.OPEN, 3, GROUPS, 0),
              damaged)) {
        try (FramePeer peer = FramePeer.greeted(target, mallory.credential())) {
          refusesAndEnds(peer, next);
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  private static void refusesAndEnds(FramePeer peer, byte[] frame) throws IOException {
    peer.send(frame);
    Frame reply = peer.receive();
    assertThat(reply).as("reply to an invalid frame of type %d", frame[5]).isNotNull();
    assertThat(reply.type()).isEqualTo(Frames.ERROR);
    assertThat(peer.receive()).as("frame after the refusal").isNull();
  }

  /** Requests of an authenticated connection with invalid values. */
  static AutoCloseable wrongValues(Target target) throws Exception {
    try (Mallory mallory = Mallory.join(target)) {
      mallory.store(1000);
      ShuffleId shuffle = mallory.shuffle();
      String long256 = mallory.application() + "x".repeat(1 << 16);
      Open.Builder open =
          Open.newBuilder().setShuffle(shuffle).setAssignedEpoch(mallory.epoch()).addPartitions(0);
      List<byte[]> requests =
          List.of(
              Frames.of(Frames.FETCH, 3, mallory.fetch(-1, 0, 1)),
              Frames.of(Frames.FETCH, 3, mallory.fetch(0, -1, 1)),
              Frames.of(Frames.FETCH, 3, mallory.fetch(0, 0, -1)),
              Frames.of(Frames.FETCH, 3, mallory.fetch(0, Long.MAX_VALUE, Long.MAX_VALUE)),
              Frames.of(Frames.FETCH, 3, mallory.fetch(0, 0, Long.MAX_VALUE)),
              Frames.of(
                  Frames.FETCH,
                  3,
                  mallory.fetch(0, 0, 1).toBuilder().setEpoch(Long.MIN_VALUE).build()),
              Frames.of(
                  Frames.FETCH,
                  3,
                  Fetch.newBuilder()
                      .setShuffle(shuffle.toBuilder().setApplication(long256))
                      .setEpoch(mallory.epoch())
                      .build()),
              Frames.of(
                  Frames.OPEN,
                  3,
                  open.clone().setShuffle(shuffle.toBuilder().setShuffle(-1)).build()),
              Frames.of(Frames.OPEN, 3, open.clone().addPartitions(0).build()),
              Frames.of(Frames.OPEN, 3, open.clone().addPartitions(-5).build()),
              Frames.of(Frames.OPEN, 3, open.clone().addPartitions(Integer.MAX_VALUE).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, new byte[] {1}).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, claims(Long.MAX_VALUE, 0)).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, claims(-1, 0)).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, claims(1, 65_536)).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, claims(1, -1)).build()),
              Frames.of(Frames.OPEN, 3, waiting(open, everything()).setMaxWaitMs(-1).build()));
      try (FramePeer peer = FramePeer.greeted(target, mallory.credential())) {
        for (int i = 0; i < requests.size(); i++) {
          peer.send(requests.get(i));
          Frame reply = peer.receive();
          assertThat(reply).as("reply to request %d", i).isNotNull();
          assertThat(reply.status()).as("reply to request %d", i).isNotEqualTo(Status.OK);
          assertThat(reply.status()).as("reply to request %d", i).isNotEqualTo(Status.INTERNAL);
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  private static Open.Builder waiting(Open.Builder open, byte[] wanted) {
    return open.clone()
        .setMaxWaitMs(1000)
        .setWantedPermille(1000)
        .setWantedAttempts(UnsafeByteOperations.unsafeWrap(wanted));
  }

  /** A set that declares high halves and containers that it does not contain. */
  private static byte[] claims(long halves, int containers) {
    return ByteBuffer.allocate(20)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(halves)
        .putInt(0)
        .putInt(NO_RUN_COOKIE)
        .putInt(containers)
        .array();
  }

  /** 65,536 runs of all values of a container each: 2^32 attempts in 600 KB. */
  private static byte[] everything() {
    int containers = 1 << 16;
    ByteBuffer set =
        ByteBuffer.allocate(8 + 4 + 4 + containers / 8 + containers * (4 + 4 + 6))
            .order(ByteOrder.LITTLE_ENDIAN);
    set.putLong(1).putInt(0).putInt(RUN_COOKIE | (containers - 1) << 16);
    for (int i = 0; i < containers / 8; i++) {
      set.put((byte) 0xff);
    }
    for (int i = 0; i < containers; i++) {
      set.putShort((short) i).putShort((short) 0xffff);
    }
    int offset = 4 + containers / 8 + containers * 8;
    for (int i = 0; i < containers; i++) {
      set.putInt(offset + i * 6);
    }
    for (int i = 0; i < containers; i++) {
      set.putShort((short) 1).putShort((short) 0).putShort((short) 0xffff);
    }
    return set.array();
  }
}
