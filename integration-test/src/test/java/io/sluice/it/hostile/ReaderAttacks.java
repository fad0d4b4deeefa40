package io.sluice.it.hostile;

import io.sluice.proto.Fetch;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Readers that ask for much and take little. */
final class ReaderAttacks {
  /** The largest body that the server sends: an eighth of its memory for blocks. */
  private static final int LARGE_FETCH = 16 << 20;

  /** So many of them use up the memory for reading. */
  private static final int SMALL_FETCHES = 8;

  private static final int SMALL_FETCH = 3 << 20;
  private static final int REPLY_MS = 500;

  private static final int READERS = 40;
  private static final int TRICKLE_MS = 100;

  private ReaderAttacks() {}

  /** Readers that read nothing. */
  static AutoCloseable neverRead(Target target) throws Exception {
    Held held = new Held();
    try {
      begin(target, held);
      return held;
    } catch (Exception | AssertionError e) {
      held.close();
      throw e;
    }
  }

  private static List<FramePeer> begin(Target target, Held held) throws Exception {
    Mallory mallory = held.add(Mallory.join(target));
    mallory.store(LARGE_FETCH + (1 << 20));
    List<FramePeer> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      for (int length : new int[] {SMALL_FETCH, LARGE_FETCH}) {
        FramePeer reader = held.add(FramePeer.greeted(target, mallory.credential()));
        Fetch fetch = mallory.fetch(0, 0, length);
        reader.send(Frames.of(Frames.FETCH, 3, fetch));
        readers.add(reader);
      }
    }
    awaitReplies(readers);
    return readers;
  }

  /** Until the server has begun to send to those that are to use up its memory for reading. */
  private static void awaitReplies(List<FramePeer> readers) {
    for (int i = 0; i < SMALL_FETCHES; i++) {
      Socket socket = readers.get(2 * i).socket();
      try {
        socket.setSoTimeout(REPLY_MS);
        socket.getInputStream().read();
      } catch (IOException notServed) {
        // It waits, because one application gets only a share, or was turned away.
      }
    }
  }

  /** Readers that read a byte now and then, which is enough not to count as hung. */
  static AutoCloseable trickle(Target target) throws Exception {
    Held held = new Held();
    try {
      List<FramePeer> readers = begin(target, held);
      Thread trickle = FrameAttacks.sender(() -> readSlowly(readers));
      return () -> {
        trickle.interrupt();
        trickle.join();
        held.close();
      };
    } catch (Exception | AssertionError e) {
      held.close();
      throw e;
    }
  }

  private static void readSlowly(List<FramePeer> readers) {
    List<FramePeer> reading = new ArrayList<>(readers);
    try {
      while (!reading.isEmpty()) {
        reading.removeIf(reader -> !readsOne(reader));
        // The pace of the attack.
        Thread.sleep(TRICKLE_MS);
      }
    } catch (InterruptedException ended) {
      // The attack is over.
    }
  }

  private static boolean readsOne(FramePeer reader) {
    try {
      reader.socket().setSoTimeout(1);
      return reader.socket().getInputStream().read() >= 0;
    } catch (SocketTimeoutException waiting) {
      return true;
    } catch (IOException ended) {
      return false;
    }
  }

  /** Readers over gRPC that ask for no further message. */
  static AutoCloseable neverReadOverGrpc(Target target) throws Exception {
    Held held = new Held();
    try {
      Mallory mallory = held.add(Mallory.join(target));
      mallory.store(LARGE_FETCH + (1 << 20));
      for (int i = 0; i < READERS; i++) {
        for (int length : new int[] {SMALL_FETCH, LARGE_FETCH}) {
          GrpcPeer reader = held.add(GrpcPeer.greeted(target, mallory.credential()));
          reader.send(Frames.of(Frames.FETCH, 3, mallory.fetch(0, 0, length)));
        }
      }
      return held;
    } catch (Exception | AssertionError e) {
      held.close();
      throw e;
    }
  }
}
