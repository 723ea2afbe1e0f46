package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import java.util.ArrayList;
import java.util.List;

/** The uploads in parts that were neither completed nor aborted. */
final class UnfinishedUploads {
    private static final int PAGE = 1000;

    private UnfinishedUploads() {}

    static List<Upload> below(Bucket bucket, String prefix) {
        List<Upload> all = new ArrayList<>();
        String afterKey = "";
        long afterUpload = 0;
        while (true) {
            UploadPage page = bucket.uploads().list(prefix, afterKey, afterUpload, PAGE);
            all.addAll(page.uploads());
            if (!page.more() || page.uploads().isEmpty()) {
                return all;
            }
            afterKey = page.uploads().getLast().key();
            afterUpload = page.uploads().getLast().id();
        }
    }
}
