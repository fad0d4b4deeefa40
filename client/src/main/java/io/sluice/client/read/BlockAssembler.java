package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.BlockDecompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Turns verified blocks into batches of records: drops duplicates and blocks of unexpected
 * attempts, lets blocks wait for their turn in the {@link MapOrder}, restores their records, and
 * passes them to a {@link DeliveryOrder}, which decides when a batch is delivered. Owned by one
 * thread.
 */
final class BlockAssembler implements AutoCloseable {
  private final PayloadReader payloads;
  private final ReadyBatches ready;
  private final DeliveryOrder order;
  private final MapOrder mapOrder;
  private final Consumer<MissingBlocks> missing;
  private long blocks;
  private long uncompressedBytes;
  private long recordCount;
  private long skipped;

  /**
   * @param transform null for none
   * @param decompressor takes
   * @param maxBatchBytes maximum bytes of one batch
   * @param anyOrder whether the batches of an attempt may be delivered in any order
   * @param mapOrder takes: order of the blocks; null for the order of arrival
   * @param missing receives an attempt of which a held block cannot be decompressed
   * @param mismatches receives attempts that do not match their receipts
   */
  BlockAssembler(
      PayloadTransform transform,
      BlockDecompressor decompressor,
      int maxBatchBytes,
      boolean anyOrder,
      MapOrder mapOrder,
      Consumer<MissingBlocks> missing,
      ReadyBatches.Mismatches mismatches) {
    this.payloads = new PayloadReader(transform, decompressor);
    this.ready = new ReadyBatches(maxBatchBytes, mismatches);
    this.order = anyOrder ? new AnyOrder(ready) : new InOrder(ready);
    this.mapOrder = mapOrder;
    this.missing = missing;
  }

  /**
   * Adds the block at {@code index}, whose checksum is verified. Borrows {@code buffer}.
   *
   * @return a batch that is ready for delivery, or null; others may be {@link #nextReady ready}
   * @throws SluiceException BLOCK_CORRUPT if the payload does not match the header; the state is
   *     then unchanged
   */
  ShuffleBlock accept(PartitionProgress progress, ByteBuf buffer, int index, BlockHeader header)
      throws IOException {
    int attemptIndex = progress.expected().indexOf(header.mapAttempt());
    if (attemptIndex < 0 || progress.received().has(attemptIndex, header.sequence())) {
      skipped++;
      return null;
    }
    int payloadAt = index + BlockHeader.LENGTH;
    Receipt receipt = header.isLast() ? Receipt.read(buffer, index) : null;
    if (mapOrder == null
        || !mapOrder.hold(progress, attemptIndex, header, receipt, buffer, payloadAt)) {
      deliver(progress, attemptIndex, header, receipt, payloads.read(buffer, payloadAt, header));
    }
    if (mapOrder != null) {
      progress.received().add(attemptIndex, header.sequence(), header.isLast());
    }
    blocks++;
    recordCount += header.recordCount();
    uncompressedBytes += header.uncompressedLength();
    return ready.poll();
  }

  private void deliver(
      PartitionProgress progress,
      int attemptIndex,
      BlockHeader header,
      Receipt receipt,
      byte[] records)
      throws SluiceException {
    if (receipt != null) {
      progress.receipts().expect(attemptIndex, receipt);
    }
    order.accept(progress, attemptIndex, header, records);
    if (progress.delivered().isWhole(attemptIndex)) {
      ready.end(progress, attemptIndex);
    }
    if (mapOrder != null) {
      mapOrder.delivered(header.isLast());
    }
  }

  /** Returns the next batch that is ready for delivery, or null. */
  ShuffleBlock nextReady() throws IOException {
    ShuffleBlock block = ready.poll();
    MapOrder.HeldBlock held = block == null && mapOrder != null ? mapOrder.next() : null;
    while (held != null) {
      if (!deliver(held)) {
        return null;
      }
      block = ready.poll();
      held = block == null ? mapOrder.next() : null;
    }
    return block;
  }

  /** Delivers a held block; returns whether it could be decompressed. */
  private boolean deliver(MapOrder.HeldBlock held) throws IOException {
    try {
      byte[] records = payloads.read(held.buffer(), held.payloadAt(), held.header());
      deliver(held.progress(), held.attemptIndex(), held.header(), held.receipt(), records);
      return true;
    } catch (SluiceException e) {
      if (e.code() != StatusCode.BLOCK_CORRUPT) {
        throw e;
      }
      // Its checksum is correct, so every copy has the same bytes.
      missing.accept(held.progress().undecodable(held.attemptIndex(), e.getMessage()));
      return false;
    } finally {
      mapOrder.release(held);
    }
  }

  /** Number of attempts, in one partition each, that matched their receipts. */
  long receiptsMatched() {
    return ready.matched();
  }

  /** Whether memory of held blocks was released since the last call. */
  boolean takeFreed() {
    return mapOrder != null && mapOrder.takeFreed();
  }

  long blocks() {
    return blocks;
  }

  long uncompressedBytes() {
    return uncompressedBytes;
  }

  long records() {
    return recordCount;
  }

  long skipped() {
    return skipped;
  }

  /** Frees the buffers and the codecs. Idempotent. */
  @Override
  public void close() {
    payloads.close();
    ready.clear();
    if (mapOrder != null) {
      mapOrder.clear();
    }
  }
}
