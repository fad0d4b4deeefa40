package io.sluice.common.net;

import io.grpc.MethodDescriptor;
import java.io.InputStream;

/**
 * The gRPC method that carries frames: the bidirectional stream {@code sluice.v1.Data/Exchange},
 * whose messages are raw bytes. One message holds a frame's header and head exactly; then, if there
 * is a body, it follows in messages of 1 to {@link #MAX_BODY_PART_LENGTH} bytes.
 */
public final class DataExchange {
  public static final String SERVICE = "sluice.v1.Data";

  /**
   * Small enough that a peer which reads one message at a time holds little, large enough that the
   * cost of a message does not show.
   */
  public static final int MAX_BODY_PART_LENGTH = 512 << 10;

  public static final MethodDescriptor<InputStream, InputStream> METHOD =
      MethodDescriptor.<InputStream, InputStream>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Exchange"))
          .setRequestMarshaller(RawBytes.INSTANCE)
          .setResponseMarshaller(RawBytes.INSTANCE)
          .build();

  private DataExchange() {}

  /** Hands the stream through: gRPC reads and writes it while the call that passes it lasts. */
  private enum RawBytes implements MethodDescriptor.Marshaller<InputStream> {
    INSTANCE;

    @Override
    public InputStream stream(InputStream value) {
      return value;
    }

    @Override
    public InputStream parse(InputStream stream) {
      return stream;
    }
  }
}
