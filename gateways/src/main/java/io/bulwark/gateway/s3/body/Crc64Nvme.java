package io.bulwark.gateway.s3.body;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.Checksum;

/** CRC-64 of the NVM Express base specification, section 5.2.1.3.4, eight bytes at a time. */
final class Crc64Nvme implements Checksum {
    /** The polynomial 0xad93d23594c93659 with its bits reversed. */
    private static final long POLYNOMIAL = 0x9a6c9329ac4bc9b5L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** {@code TABLES[k][b]} is the remainder of byte b with k zero bytes after it. */
    private static final long[][] TABLES = tables();

    private long state = -1;

    private static long[][] tables() {
        long[][] tables = new long[8][256];
        for (int i = 0; i < 256; i++) {
            long value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) != 0 ? value >>> 1 ^ POLYNOMIAL : value >>> 1;
            }
            tables[0][i] = value;
        }
        for (int k = 1; k < 8; k++) {
            for (int i = 0; i < 256; i++) {
                long before = tables[k - 1][i];
                tables[k][i] = before >>> 8 ^ tables[0][(int) before & 0xff];
            }
        }
        return tables;
    }

    @Override
    public void update(int b) {
        state = state >>> 8 ^ TABLES[0][((int) state ^ b) & 0xff];
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        long crc = state;
        int i = offset;
        int end = offset + length;
        for (; end - i >= 8; i += 8) {
            crc ^= (long) LONGS.get(bytes, i);
            crc = TABLES[7][(int) crc & 0xff]
                    ^ TABLES[6][(int) (crc >>> 8) & 0xff]
                    ^ TABLES[5][(int) (crc >>> 16) & 0xff]
                    ^ TABLES[4][(int) (crc >>> 24) & 0xff]
                    ^ TABLES[3][(int) (crc >>> 32) & 0xff]
                    ^ TABLES[2][(int) (crc >>> 40) & 0xff]
                    ^ TABLES[1][(int) (crc >>> 48) & 0xff]
                    ^ TABLES[0][(int) (crc >>> 56)];
        }
        for (; i < end; i++) {
            crc = crc >>> 8 ^ TABLES[0][((int) crc ^ bytes[i]) & 0xff];
        }
        state = crc;
    }

    @Override
    public long getValue() {
        return ~state;
    }

    @Override
    public void reset() {
        state = -1;
    }
}
