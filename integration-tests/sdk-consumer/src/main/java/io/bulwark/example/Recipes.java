package io.bulwark.example;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The recipes of docs/sdk.md, which has the bodies of these methods word for word. */
final class Recipes {
    private static final int OBJECTS = 25;
    private static final int TRIES = 3;
    private static final int PAGE = 10;

    private final Bucket photos;

    Recipes(Bucket photos) {
        this.photos = photos;
    }

    void run(Path directory) throws IOException, InterruptedException {
        byte[] bytes = "0123456789".repeat(100).getBytes(StandardCharsets.US_ASCII);
        options(bytes);
        Checks.that(photos.head("2026/tree.jpg").contentType().equals("image/jpeg"), "an object has its type");
        try {
            options(bytes);
            Checks.that(false, "an object that exists is not replaced");
        } catch (PreconditionFailedException e) {
            Checks.that(e.key().orElse("").equals("2026/tree.jpg"), "the failure names the object");
        }

        photos.put("count", "41".getBytes(StandardCharsets.US_ASCII));
        Checks.that(increment("count") == 42, "an update counts");

        List<Path> files = new ArrayList<>();
        for (int i = 0; i < OBJECTS; i++) {
            files.add(Files.writeString(directory.resolve("file-" + (i + PAGE)), "content " + i));
        }
        List<ObjectInfo> stored = inParallel(files);
        Checks.that(stored.size() == OBJECTS && stored.get(3).length() == 9, "all files are objects");
        Checks.that(pages("many/").size() == OBJECTS, "pages have all objects, once");
        Checks.that(first("many/", PAGE).equals(pages("many/").subList(0, PAGE)), "a stream has the same order");

        Checks.that(Arrays.equals(part("2026/tree.jpg"), "56789".getBytes(StandardCharsets.US_ASCII)), "a range");
        Checks.that(within(Duration.ofMinutes(1)).length == bytes.length, "a read in time");
        Checks.that(within(Duration.ofNanos(1)).length == 0, "a read that is too late ends");

        AtomicInteger tries = new AtomicInteger();
        ObjectInfo read = retried(() -> {
            if (tries.incrementAndGet() < TRIES) {
                throw new UnavailableException("made up", Subject.key("photos", "2026/tree.jpg"));
            }
            return photos.head("2026/tree.jpg");
        });
        Checks.that(read.length() == bytes.length && tries.get() == TRIES, "a failure that passes is retried");
        cancel();
    }

    private void options(byte[] bytes) {
        PutOptions options = PutOptions.DEFAULT
                .withContentType("image/jpeg")
                .withTags(Map.of("camera", "x100"))
                .withPrecondition(Precondition.IF_ABSENT)
                .withDeadline(Duration.ofMinutes(1))
                .withProgress((done, total) -> System.out.println(done + " of " + total + " bytes"));
        photos.put("2026/tree.jpg", bytes, options);
    }

    private int increment(String key) {
        while (true) {
            ObjectInfo before = photos.head(key);
            int count = Integer.parseInt(new String(photos.getBytes(key), StandardCharsets.US_ASCII)) + 1;
            try {
                photos.put(
                        key,
                        Integer.toString(count).getBytes(StandardCharsets.US_ASCII),
                        PutOptions.DEFAULT.withPrecondition(Precondition.ifVersion(before.version())));
                return count;
            } catch (PreconditionFailedException e) {
                // Somebody else was faster: read again.
            }
        }
    }

    private List<String> pages(String prefix) {
        List<String> keys = new ArrayList<>();
        ListOptions options = ListOptions.DEFAULT.withPrefix(prefix).withLimit(10);
        ObjectPage page;
        do {
            page = photos.list(options);
            page.objects().forEach(object -> keys.add(object.key()));
            options = options.withContinuation(page.continuation());
        } while (!page.last());
        return keys;
    }

    private List<String> first(String prefix, int count) {
        try (Stream<ObjectInfo> all = photos.stream(prefix)) {
            return all.limit(count).map(ObjectInfo::key).toList(); // fetches pages as they are needed
        }
    }

    private byte[] part(String key) {
        GetOptions range = GetOptions.DEFAULT.withRange(995, 10); // ends at the object's end
        return photos.getBytes(key, range);
    }

    private List<ObjectInfo> inParallel(List<Path> files) {
        List<CompletableFuture<ObjectInfo>> puts = files.stream()
                .map(file -> photos.putAsync("many/" + file.getFileName(), file))
                .toList();
        return puts.stream().map(CompletableFuture::join).toList();
    }

    private byte[] within(Duration limit) {
        try {
            return photos.getBytes("2026/tree.jpg", GetOptions.DEFAULT.withDeadline(limit));
        } catch (DeadlineExceededException e) {
            return new byte[0]; // go on without it
        }
    }

    private static <T> T retried(Supplier<T> operation) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return operation.get();
            } catch (UnavailableException | LimitReachedException | ChangedWhileReadingException e) {
                if (attempt == 5) {
                    throw e;
                }
                Thread.sleep(100L << attempt);
            }
        }
    }

    private void cancel() throws InterruptedException {
        CountDownLatch reading = new CountDownLatch(1);
        InputStream endless = new EndlessStream(reading);

        CompletableFuture<ObjectInfo> video = photos.putAsync("video.mp4", endless);
        reading.await();
        video.cancel(true); // interrupts it: the object stays absent

        try {
            video.join();
            Checks.that(false, "a cancelled future has no result");
        } catch (CancellationException e) {
            Checks.that(isAbsent("video.mp4"), "a cancelled put leaves nothing");
        }
    }

    private boolean isAbsent(String key) {
        try {
            photos.head(key);
            return false;
        } catch (NoSuchKeyException e) {
            return true;
        }
    }

    /** Zeros without end, as a camera that nobody switches off. */
    private static final class EndlessStream extends InputStream {
        private final CountDownLatch reading;

        EndlessStream(CountDownLatch reading) {
            this.reading = reading;
        }

        @Override
        public int read() {
            reading.countDown();
            return 0;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            reading.countDown();
            Arrays.fill(target, offset, offset + length, (byte) 0);
            return length;
        }
    }
}
