package io.sluice.benchmark.floor;

import io.sluice.benchmark.floor.FloorRequest.Work;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/**
 * Client of the minimal server, with a thread per connection and {@value #IN_FLIGHT} frames in
 * flight on each.
 */
final class FloorClient {
  private static final int IN_FLIGHT = 2;

  private final int port;
  private final int connections;
  private final int frameLength;

  FloorClient(int port, int connections, int frameLength) {
    this.port = port;
    this.connections = connections;
    this.frameLength = frameLength;
  }

  /**
   * Lets the server do some work for a number of bytes, rounded up to whole frames.
   *
   * @return the bytes
   */
  long run(Work work, long totalBytes) throws IOException, InterruptedException {
    long frames = (totalBytes + frameLength - 1) / frameLength;
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      List<Future<Long>> pending = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        long share = frames / connections + (i < frames % connections ? 1 : 0);
        if (share > 0) {
          FloorRequest request = new FloorRequest(work, i, frameLength, Math.toIntExact(share));
          pending.add(threads.submit(() -> connection(request)));
        }
      }
      long bytes = 0;
      for (Future<Long> one : pending) {
        bytes += one.get();
      }
      return bytes;
    } catch (ExecutionException failure) {
      throw new IOException(
          "minimal server: " + failure.getCause().getMessage(), failure.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private long connection(FloorRequest request) throws IOException {
    try (SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
      channel.write(request.encode());
      boolean isFetch = request.work().isFetch();
      ByteBuffer out = ByteBuffer.allocateDirect(isFetch ? 1 : frameLength);
      byte[] random = new byte[out.capacity()];
      RandomGenerator.of("L64X128MixRandom").nextBytes(random);
      out.put(random);
      ByteBuffer in = ByteBuffer.allocateDirect(isFetch ? frameLength : 1);
      int sent = 0;
      for (int received = 0; received < request.frames(); received++) {
        while (sent < request.frames() && sent < received + IN_FLIGHT) {
          out.rewind();
          while (out.hasRemaining()) {
            channel.write(out);
          }
          sent++;
        }
        FloorRequest.readFully(channel, in.clear());
      }
      return request.bytes();
    }
  }
}
