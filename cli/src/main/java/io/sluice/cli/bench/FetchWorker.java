package io.sluice.cli.bench;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Fetch;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

/** Sends fetches from the queue of a server on one connection, and verifies the fetched blocks. */
final class FetchWorker implements BenchWorker {
  private final DataConnection connection;
  private final String server;
  private final Queue<Fetch> work;
  private final AtomicLong blocksSeen;

  /**
   * Sends no requests yet.
   *
   * @param connection borrowed
   * @param work shared with the other workers of the server; ranges begin and end at block
   *     boundaries
   * @param blocksSeen counter of verified blocks
   */
  FetchWorker(DataConnection connection, String server, Queue<Fetch> work, AtomicLong blocksSeen) {
    this.connection = connection;
    this.server = server;
    this.work = work;
    this.blocksSeen = blocksSeen;
  }

  @Override
  public Request next() {
    Fetch fetch = work.poll();
    return fetch == null ? null : () -> connection.fetch(fetch).thenApply(this::verified);
  }

  /** Verifies all blocks of the body and returns its length. Takes the body. */
  private long verified(FetchedBody fetched) {
    try (fetched) {
      ByteBuf bytes = fetched.bytes();
      int end = bytes.writerIndex();
      long blocks = 0;
      for (int at = bytes.readerIndex(); at < end; blocks++) {
        BlockHeader header = BlockFormat.readVerified(bytes, at, end);
        at += header.blockLength();
      }
      blocksSeen.addAndGet(blocks);
      return bytes.readableBytes();
    } catch (BlockFormatException damaged) {
      throw new CompletionException(
          new SluiceException(
              damaged.code(),
              "server " + server + " sent a damaged block: " + damaged.getMessage(),
              damaged));
    }
  }
}
