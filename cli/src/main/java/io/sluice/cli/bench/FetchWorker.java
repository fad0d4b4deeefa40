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

/** A connection that takes fetches from the queue of its server and verifies what comes. */
final class FetchWorker implements BenchWorker {
  private final DataConnection connection;
  private final String server;
  private final Queue<Fetch> work;
  private final AtomicLong blocksSeen;

  /**
   * Sends nothing yet.
   *
   * @param connection borrowed
   * @param work shared with the other workers of the server; ranges begin and end between blocks
   * @param blocksSeen counts the blocks that were verified
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

  /** Bytes of the body, each block of it checked. Takes the body. */
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
