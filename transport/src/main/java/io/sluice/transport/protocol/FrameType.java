package io.sluice.transport.protocol;

/**
 * Type and maximum length of a frame's head. Wire numbers never change their meaning.
 *
 * <p>The limit of each type is the length of the largest legitimate message, rounded up; {@code
 * docs/protocol.md} has the same table:
 *
 * <pre>
 *  HELLO       a token of 2.7 KB, an application of 256 characters
 *  CHALLENGE   a nonce and a certificate of 2 KiB
 *  PUSH        application of 256 characters, two numbers
 *  PUSH_ACK    65,536 full partitions of 5 bytes
 *  OPEN        4096 partitions of 5 bytes, and a bitmap of wanted attempts
 *  OPEN_REPLY  4096 partitions of 4 KiB
 *  FETCH       16,384 ranges of at most 26 bytes
 *  ERROR       a message of 4096 characters
 * </pre>
 */
public enum FrameType {
  HELLO(1, 4 << 10),
  HELLO_REPLY(2, 4 << 10),
  PUSH(3, 1 << 10),
  PUSH_ACK(4, 512 << 10),
  OPEN(5, 1 << 20),
  OPEN_REPLY(6, 16 << 20),
  FETCH(7, 512 << 10),
  FETCH_REPLY(8, 1 << 10),
  ERROR(9, 16 << 10),
  CHALLENGE(10, 4 << 10),
  PROOF(11, 1 << 10);

  private static final FrameType[] BY_NUMBER = new FrameType[12];

  static {
    for (FrameType type : values()) {
      BY_NUMBER[type.wireNumber] = type;
    }
  }

  private final int wireNumber;
  private final int maxHeadLength;

  FrameType(int wireNumber, int maxHeadLength) {
    this.wireNumber = wireNumber;
    this.maxHeadLength = maxHeadLength;
  }

  public int wireNumber() {
    return wireNumber;
  }

  /** Maximum length of the head of a frame of this type, in bytes. */
  public int maxHeadLength() {
    return maxHeadLength;
  }

  /** Whether a frame of this type may have a body. */
  public boolean mayHaveBody() {
    return this == PUSH || this == FETCH_REPLY;
  }

  /** The type of a wire number, or null if the number is unknown. */
  static FrameType ofWireNumber(int number) {
    return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }
}
