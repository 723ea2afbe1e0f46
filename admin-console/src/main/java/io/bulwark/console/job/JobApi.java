package io.bulwark.console.job;

import io.bulwark.console.http.Page;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/jobs}. */
@RestController
@RequestMapping("/api/v1/jobs")
class JobApi {
    private final Jobs jobs;

    JobApi(Jobs jobs) {
        this.jobs = jobs;
    }

    @GetMapping
    Page<Job.View> list() {
        return Page.whole(jobs.list());
    }

    @GetMapping("/{id}")
    Job.View find(@PathVariable long id) {
        return jobs.find(id).view();
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void cancel(@PathVariable long id) {
        jobs.cancel(id);
    }
}
