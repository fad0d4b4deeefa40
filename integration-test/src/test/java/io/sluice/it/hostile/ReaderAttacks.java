package io.sluice.it.hostile;

import io.sluice.proto.Fetch;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Readers that request much data and read little. */
final class ReaderAttacks {
  /** Maximum body that the server sends: an eighth of its memory for blocks. */
  private static final int LARGE_FETCH = 16 << 20;

  /** Number of readers that use up the memory for reading. */
  private static final int SMALL_FETCHES = 8;

  private static final int SMALL_FETCH = 3 << 20;
  private static final int REPLY_MS = 500;

  private static final int READERS = 40;
  private static final int TRICKLE_MS = 100;

  private ReaderAttacks() {}

  /** Readers that read nothing. */
  static AutoCloseable neverRead(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      begin(target, open);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static List<FramePeer> begin(Target target, OpenResources open) throws Exception {
    Mallory mallory = open.add(Mallory.join(target));
    mallory.store(LARGE_FETCH + (1 << 20));
    List<FramePeer> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      for (int length : new int[] {SMALL_FETCH, LARGE_FETCH}) {
        FramePeer reader = open.add(FramePeer.greeted(target, mallory.credential()));
        Fetch fetch = mallory.fetch(0, 0, length);
        reader.send(Frames.of(Frames.FETCH, 3, fetch));
        readers.add(reader);
      }
    }
    awaitReplies(readers);
    return readers;
  }

  /** Waits until the server has started to send to enough readers to use up its read memory. */
  private static void awaitReplies(List<FramePeer> readers) {
    for (int i = 0; i < SMALL_FETCHES; i++) {
      Socket socket = readers.get(2 * i).socket();
      try {
        socket.setSoTimeout(REPLY_MS);
        socket.getInputStream().read();
      } catch (IOException notServed) {
        // This reader waits or was refused, because one application gets only a share.
      }
    }
  }

  /** Readers that read single bytes slowly, which avoids the stall timeout. */
  static AutoCloseable trickle(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      List<FramePeer> readers = begin(target, open);
      Thread trickle = FrameAttacks.sender(() -> readSlowly(readers));
      return () -> {
        trickle.interrupt();
        trickle.join();
        open.close();
      };
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static void readSlowly(List<FramePeer> readers) {
    List<FramePeer> reading = new ArrayList<>(readers);
    try {
      while (!reading.isEmpty()) {
        reading.removeIf(reader -> !readsOne(reader));
        // The rate of the attack.
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

  /** Readers over gRPC that request no more messages. */
  static AutoCloseable neverReadOverGrpc(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      mallory.store(LARGE_FETCH + (1 << 20));
      for (int i = 0; i < READERS; i++) {
        for (int length : new int[] {SMALL_FETCH, LARGE_FETCH}) {
          GrpcPeer reader = open.add(GrpcPeer.greeted(target, mallory.credential()));
          reader.send(Frames.of(Frames.FETCH, 3, mallory.fetch(0, 0, length)));
        }
      }
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }
}
