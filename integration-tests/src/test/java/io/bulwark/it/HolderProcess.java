package io.bulwark.it;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;

/** A client in a process of its own, to be killed: it puts objects, and prints the number of each acknowledged one. */
@NullMarked
final class HolderProcess {
    private HolderProcess() {}

    /**
     * Puts until it is killed.
     *
     * @param arguments a client configuration, and a bucket
     */
    public static void main(String[] arguments) {
        try (Bulwark client = Bulwark.connect(ClientConfig.load(Path.of(arguments[0])))) {
            Bucket bucket = client.bucket(arguments[1]);
            bucket.lock("dir/");
            for (int number = 0; ; number++) {
                bucket.put("dir/" + number, content(number));
                System.out.println(number);
            }
        }
    }

    static byte[] content(int number) {
        return ("content " + number).getBytes(StandardCharsets.UTF_8);
    }
}
