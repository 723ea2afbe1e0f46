package io.bulwark.appliance.demo;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Compares every object below a prefix with the file that it came from, byte by byte. */
final class TreeComparison {
    private TreeComparison() {}

    /** @param different names that differ or could not be read, with the reason */
    record Result(long objects, long bytes, List<String> different) {}

    static Result of(Bucket bucket, String prefix, Path directory) throws IOException {
        List<String> different = new ArrayList<>();
        long objects = 0;
        long bytes = 0;
        List<ObjectInfo> all;
        try (Stream<ObjectInfo> listed = bucket.stream(prefix)) {
            all = listed.toList();
        }
        for (ObjectInfo object : all) {
            Path file = directory.resolve(object.key().substring(prefix.length()));
            try (InputStream expected = Files.newInputStream(file);
                    ComparingStream target = new ComparingStream(expected)) {
                bucket.readTo(object.key(), target);
                if (target.differs || expected.read() >= 0) {
                    different.add(object.key() + ": other bytes");
                }
                objects++;
                bytes += object.length();
            } catch (BulwarkException e) {
                different.add(object.key() + ": " + e.getMessage());
            }
        }
        return new Result(objects, bytes, different);
    }

    /** Takes the bytes read and compares them with a stream as they come. */
    private static final class ComparingStream extends OutputStream {
        private final InputStream expected;
        private boolean differs;

        private ComparingStream(InputStream expected) {
            this.expected = expected;
        }

        @Override
        public void write(int value) throws IOException {
            differs |= expected.read() != (value & 0xFF);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            byte[] wanted = expected.readNBytes(length);
            differs |= !Arrays.equals(bytes, offset, offset + length, wanted, 0, wanted.length);
        }
    }
}
