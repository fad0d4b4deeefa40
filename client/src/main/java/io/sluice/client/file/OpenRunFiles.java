package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.proto.FetchReply;
import io.sluice.proto.RunFileKind;
import io.sluice.transport.client.FetchedBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** The run files that one read uses, which are released at its end. Thread-safe. */
public final class OpenRunFiles implements AutoCloseable {
  private final DirectRunFiles files;
  private final ByteBufAllocator allocator;
  // Guarded by this.
  private final Map<SharedInputs.Key, CompletableFuture<RunFileInput>> inputs = new HashMap<>();
  private boolean closed;

  /** A byte range of a file. */
  public record Piece(NamedRunFile file, long position, int length) {}

  public OpenRunFiles(DirectRunFiles files, ByteBufAllocator allocator) {
    this.files = files;
    this.allocator = allocator;
  }

  /** The kinds of files of a server that can be opened. */
  public List<RunFileKind> kinds(RunFileSource source) {
    return files.kinds(source);
  }

  /** Whether a file of a server can be opened. */
  public boolean mayOpen(RunFileSource source, NamedRunFile file) {
    return files.mayOpen(source, file.kind());
  }

  /**
   * Reads pieces in order into one buffer, on a thread of the executor.
   *
   * @return owned by the caller; after any failure, the bytes must be fetched from the server
   */
  public CompletableFuture<FetchedBody> read(RunFileSource source, List<Piece> pieces) {
    Set<NamedRunFile> named = new LinkedHashSet<>();
    pieces.forEach(piece -> named.add(piece.file()));
    Map<NamedRunFile, CompletableFuture<RunFileInput>> opening = new HashMap<>();
    for (NamedRunFile file : named) {
      opening.put(file, input(source, file));
    }
    CompletableFuture<?> all =
        CompletableFuture.allOf(opening.values().toArray(CompletableFuture[]::new));
    try {
      return all.thenApplyAsync(unused -> read(source.epoch(), pieces, opening), files.executor());
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new IOException("the client is closed", e));
    }
  }

  private FetchedBody read(
      long epoch, List<Piece> pieces, Map<NamedRunFile, CompletableFuture<RunFileInput>> opened) {
    int length = pieces.stream().mapToInt(Piece::length).sum();
    ByteBuf bytes = allocator.directBuffer(length, length);
    boolean whole = false;
    try {
      for (Piece piece : pieces) {
        opened.get(piece.file()).join().read(piece.position(), bytes, piece.length());
      }
      whole = true;
      return new FetchedBody(FetchReply.newBuilder().setEpoch(epoch).build(), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!whole) {
        bytes.release();
      }
    }
  }

  private synchronized CompletableFuture<RunFileInput> input(
      RunFileSource source, NamedRunFile file) {
    if (closed) {
      return CompletableFuture.failedFuture(new IOException("the read is closed"));
    }
    RunFileOpener opener = files.opener(file.kind());
    if (opener == null) {
      return CompletableFuture.failedFuture(
          new IOException("no opener for run files of kind " + file.kind()));
    }
    return inputs.computeIfAbsent(
        new SharedInputs.Key(source, file), key -> files.inputs().acquire(key, opener));
  }

  /** Releases all files, including those that are being opened. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    inputs.keySet().forEach(files.inputs()::release);
    inputs.clear();
  }
}
