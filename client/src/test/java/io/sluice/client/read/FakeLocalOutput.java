package io.sluice.client.read;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Local output in memory, with answers in random order. Verifies that every stream is closed. */
final class FakeLocalOutput implements LocalOutput {
  private final Random random;
  private final Set<Long> attempts = new HashSet<>();
  private final Map<Piece, ByteArrayOutputStream> stored = new HashMap<>();
  private final Map<Piece, String> failures = new HashMap<>();
  private final List<Piece> waiting = new ArrayList<>();
  private final List<List<Piece>> requests = new ArrayList<>();
  private boolean broken;
  private int openStreams;
  private boolean closed;

  FakeLocalOutput(long seed) {
    this.random = new Random(seed);
  }

  private static Piece piece(int partition, long attempt) {
    return new Piece(partition, attempt, (int) attempt);
  }

  /** Registers an attempt with local output, possibly without blocks. */
  void has(long attempt) {
    attempts.add(attempt);
  }

  void add(TestBlocks blocks, int sequence) {
    add(blocks.partition(), blocks.attempt(), blocks.block(sequence));
  }

  void addAll(TestBlocks blocks) {
    for (int sequence = 0; sequence < blocks.count(); sequence++) {
      add(blocks, sequence);
    }
  }

  void add(int partition, long attempt, byte[] bytes) {
    attempts.add(attempt);
    stored
        .computeIfAbsent(piece(partition, attempt), p -> new ByteArrayOutputStream())
        .writeBytes(bytes);
  }

  void fail(int partition, long attempt, String why) {
    attempts.add(attempt);
    failures.put(piece(partition, attempt), why);
  }

  /** Stops answering. */
  void breakDown() {
    broken = true;
  }

  List<List<Piece>> requests() {
    return requests;
  }

  boolean isClosed() {
    return closed && openStreams == 0;
  }

  @Override
  public boolean mayHave(long mapAttempt) {
    return attempts.contains(mapAttempt);
  }

  @Override
  public void request(List<Piece> pieces) {
    requests.add(pieces);
    waiting.addAll(pieces);
  }

  @Override
  public Answer next() {
    if (broken || waiting.isEmpty()) {
      return null;
    }
    Piece piece = waiting.remove(random.nextInt(waiting.size()));
    Piece key = piece(piece.partition(), piece.mapAttempt());
    String failure = failures.get(key);
    if (failure != null) {
      return new Answer(piece, null, 0, failure);
    }
    ByteArrayOutputStream bytes = stored.getOrDefault(key, new ByteArrayOutputStream());
    openStreams++;
    return new Answer(piece, new Counted(bytes.toByteArray()), bytes.size(), null);
  }

  @Override
  public void close() {
    closed = true;
  }

  /** Returns bytes in small portions, like a network. */
  private final class Counted extends InputStream {
    private final ByteArrayInputStream bytes;
    private boolean open = true;

    Counted(byte[] bytes) {
      this.bytes = new ByteArrayInputStream(bytes);
    }

    @Override
    public int read() throws IOException {
      return bytes.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      return bytes.read(into, offset, Math.min(length, 1 + random.nextInt(2000)));
    }

    @Override
    public void close() {
      if (open) {
        open = false;
        openStreams--;
      }
    }
  }
}
