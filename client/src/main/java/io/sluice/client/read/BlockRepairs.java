package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.server.ServerSession;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes blocks again to a server that has lost some of a partition, when the read gets them from
 * another replica. The server ignores blocks that it has. A block is not sent if the server is not
 * connected, or if too many bytes are not acknowledged yet; the read never waits for an
 * acknowledgement, and ignores a failure. Owned by the task thread.
 */
final class BlockRepairs {
  private static final Logger LOG = LoggerFactory.getLogger(BlockRepairs.class);

  /** Maximum bytes of a read that are not acknowledged; also its memory for repairs. */
  static final long MAX_IN_FLIGHT_BYTES = 4 << 20;

  private final ShuffleId shuffle;
  private final ByteBufAllocator allocator;
  // Acknowledgements arrive on other threads.
  private final AtomicLong inFlightBytes = new AtomicLong();

  BlockRepairs(ShuffleId shuffle, ByteBufAllocator allocator) {
    this.shuffle = shuffle;
    this.allocator = allocator;
  }

  /**
   * A visit has delivered a block that no earlier visit of its partition had.
   *
   * @param buffer borrows: the block of {@code length} bytes is at {@code index}
   */
  void delivered(PartitionVisit visit, ByteBuf buffer, int index, int length) {
    ReadServer damaged = visit.progress().serverToRepair();
    if (damaged == null) {
      return;
    }
    ServerSession session = damaged.session();
    if (!session.isConnected()
        || length > session.connection().maxBodyLength()
        || inFlightBytes.get() + length > MAX_IN_FLIGHT_BYTES) {
      return;
    }
    inFlightBytes.addAndGet(length);
    ByteBuf copy = allocator.directBuffer(length, length).writeBytes(buffer, index, length);
    Push push =
        Push.newBuilder().setShuffle(shuffle).setEpoch(session.connection().epoch()).build();
    CompletableFuture<PushAck> unused =
        session
            .connection()
            .push(push, copy)
            .whenComplete(
                (ack, failure) -> {
                  inFlightBytes.addAndGet(-length);
                  LOG.debug(
                      "lost block written again partition={} server={} bytes={} failure={}",
                      visit.partition(),
                      damaged.name(),
                      length,
                      failure == null ? "none" : failure.toString());
                });
  }
}
