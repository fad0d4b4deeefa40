package io.sluice.benchmark.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.compress.BlockDecompressor;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Compresses and seals one block with header and CRC-32C, as a client does; verifies and
 * decompresses it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class BlockCodecBenchmark {
  @Param({"NONE", "LZ4", "ZSTD", "SNAPPY"})
  public BlockCodec codec;

  @Param({"10240", "102400"})
  public int recordBytes;

  private byte[] records;
  private byte[] target;
  private BlockCompressor compressor;
  private BlockDecompressor decompressor;
  private ByteBuf body;

  /** Creates the uncompressed records and seals one block of them. */
  @Setup(Level.Trial)
  public void prepare() throws SluiceException {
    records = Payloads.text(recordBytes);
    target = new byte[recordBytes];
    compressor = BlockCodecs.compressor(codec, 1);
    decompressor = BlockCodecs.decompressor(recordBytes);
    int payload = Math.max(recordBytes, compressor.maxCompressedLength(recordBytes));
    body = Unpooled.directBuffer(BlockHeader.LENGTH + payload);
    body.writerIndex(seal());
  }

  @TearDown(Level.Trial)
  public void close() {
    body.release();
    compressor.close();
    decompressor.close();
  }

  /** Seals a block and returns its length. */
  @Benchmark
  public int seal() {
    int payloadLength;
    if (codec == BlockCodec.NONE) {
      body.setBytes(BlockHeader.LENGTH, records);
      payloadLength = records.length;
    } else {
      payloadLength =
          compressor.compress(
              records,
              0,
              records.length,
              body.internalNioBuffer(
                  BlockHeader.LENGTH, compressor.maxCompressedLength(records.length)));
    }
    BlockHeader header =
        new BlockHeader(1, 1, 1, 0, 1, records.length, payloadLength, codec, BlockHeader.FLAG_LAST);
    BlockFormat.seal(body, 0, header);
    return header.blockLength();
  }

  /** Verifies and decompresses the block and returns its records. */
  @Benchmark
  public byte[] open() throws BlockFormatException, SluiceException {
    BlockHeader header = BlockFormat.readVerified(body, 0, body.writerIndex());
    decompressor.decompress(
        header.codec(),
        body.nioBuffer(BlockHeader.LENGTH, header.payloadLength()),
        target,
        0,
        header.uncompressedLength());
    return target;
  }
}
