import '../look/base.css';
import { mount } from 'svelte';
import Actors from './Actors.svelte';

const target = document.getElementById('view');
if (target !== null) mount(Actors, { target });
