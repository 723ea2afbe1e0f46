package io.bulwark.console.work;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The page of background work. */
@Controller
@RequestMapping("/work")
class WorkPages {
    private final WorkWatch watch;

    WorkPages(WorkWatch watch) {
        this.watch = watch;
    }

    @GetMapping
    String work(Model model) {
        model.addAttribute("work", watch.now());
        return "work/work";
    }

    @GetMapping("/part")
    String part(Model model) {
        model.addAttribute("work", watch.now());
        return "work/work :: part";
    }
}
