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

/** One block: compressed, with header and CRC-32C as a client writes it, and the way back. */
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
  public int contentBytes;

  private byte[] content;
  private byte[] target;
  private BlockCompressor compressor;
  private BlockDecompressor decompressor;
  private ByteBuf body;

  /** Makes the content and one sealed block of it. */
  @Setup(Level.Trial)
  public void prepare() throws SluiceException {
    content = Payloads.text(contentBytes);
    target = new byte[contentBytes];
    compressor = BlockCodecs.compressor(codec, 1);
    decompressor = BlockCodecs.decompressor(contentBytes);
    int payload = Math.max(contentBytes, compressor.maxCompressedLength(contentBytes));
    body = Unpooled.directBuffer(BlockHeader.LENGTH + payload);
    body.writerIndex(seal());
  }

  @TearDown(Level.Trial)
  public void close() {
    body.release();
    compressor.close();
    decompressor.close();
  }

  /** Length of the block. */
  @Benchmark
  public int seal() {
    int payloadLength;
    if (codec == BlockCodec.NONE) {
      body.setBytes(BlockHeader.LENGTH, content);
      payloadLength = content.length;
    } else {
      payloadLength =
          compressor.compress(
              content,
              0,
              content.length,
              body.internalNioBuffer(
                  BlockHeader.LENGTH, compressor.maxCompressedLength(content.length)));
    }
    BlockHeader header =
        new BlockHeader(1, 1, 1, 0, 1, content.length, payloadLength, codec, BlockHeader.FLAG_LAST);
    BlockFormat.seal(body, 0, header);
    return header.blockLength();
  }

  /** The content of the block, verified. */
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
