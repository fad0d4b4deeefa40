package io.sluice.cli;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.reflect.Method;

/** A program that prints the buffer pool of a coordinator or server. */
final class PoolProgram {
  private PoolProgram() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    NettyPool.configure();
    PooledByteBufAllocator pool = PooledByteBufAllocator.DEFAULT;
    Method grpc =
        Class.forName("io.grpc.netty.Utils")
            .getDeclaredMethod("getByteBufAllocator", boolean.class);
    grpc.setAccessible(true);
    System.out.println("chunk=" + pool.metric().chunkSize());
    System.out.println("arenas=" + pool.metric().numDirectArenas());
    System.out.println("shared=" + (ByteBufAllocator.DEFAULT == pool));
    System.out.println("grpc=" + (grpc.invoke(null, false) == pool));
  }
}
